"""What a job is: specification, chunk plan, ledger, statistics, reports, vetting."""
