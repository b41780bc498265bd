//! Compares generated readers and writers with the interpreter: same values, same bytes, same
//! errors, for every schema and file of the other tests.
//!
//! Who has the generated code of a schema makes a [`Module`](formwork_tests_module::Module) of it;
//! [`compare`] runs all files that belong to the schema through both engines.
#![forbid(unsafe_code)]

pub mod case;
pub mod compare;
pub mod driver;
pub mod generate;
pub mod inputs;
pub mod known;
pub mod schemas;

pub use formwork_properties::shown as value;
