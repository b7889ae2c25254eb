"""The seven numeric properties of Moffat (2013), found out for any metric by trying all lists of a small collection."""
