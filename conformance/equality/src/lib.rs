//! Nothing: the tests beside this file are what this package is for.
