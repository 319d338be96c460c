"""Results for people: text for the terminal, figures."""
