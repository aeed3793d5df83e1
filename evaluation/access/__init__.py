"""Who may do what: roles, tokens, browser sessions, quotas. No HTTP here."""
