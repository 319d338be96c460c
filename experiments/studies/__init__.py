"""The studies, one module or package each, and the checks of the claims that they answer."""
