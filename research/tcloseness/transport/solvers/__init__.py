"""Solvers of the transportation problem, one file each. Each proposes a flow of whole masses; none is believed."""
