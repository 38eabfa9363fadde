//! What the attributes publish.
