"""Connect four: two players drop stones into columns; four in a row win."""
