"""OCR: recognize the text of scanned pages and pictures."""
