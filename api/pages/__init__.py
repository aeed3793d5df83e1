"""What people look at: server-rendered pages. They work by reload alone; scripts only make them livelier."""
