"""Floor 0: values.  Pure facts and functions about them; nothing here holds memory or state."""
