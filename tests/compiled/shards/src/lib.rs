//! Generated code of all schemas of the tests, in several test programs, so that the compiler uses
//! more than one core. `FORMWORK_ONLY=name` compiles only schemas whose name contains that.
#![forbid(unsafe_code)]

pub mod forms;
mod looked;
mod plain;
mod rich;

pub use looked::{Looked, check_looked};
pub use plain::check;
pub use rich::{Rich, Through, check_rich};

#[doc(hidden)]
pub mod deps {
    pub use formwork_properties::{Check, Subject, codec};
    pub use formwork_tests_module::Show;
    pub use {arbitrary, erased_serde, formwork};
}
