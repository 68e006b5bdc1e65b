"""What all web pages share: charts in JavaScript, and scripts put into pages that load nothing."""
