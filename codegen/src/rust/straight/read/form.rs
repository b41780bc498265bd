//! Forms: the first that can say the value is the usual one; another is kept.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::body::Rows;
use super::{Ctx, Reading};
use crate::model::{Case, Model, RecordId, Role, Row, RowId, Type};
use crate::rust::straight::able::{Able, unable};
use crate::rust::straight::epochs::epoch_id;
use crate::rust::straight::sayable::Said;

impl<'m> Reading<'_, '_, 'm> {
    /// Keeps the form if one before it could say the same.
    pub(super) fn keep_form(
        &self,
        ctx: &Ctx<'m>,
        case: &'m Case,
        form: usize,
        rows: &mut Rows,
    ) -> Able<()> {
        let here = &ctx.view.records[case.forms[form].record.index()];
        let logical = &ctx.view.records[case.record.index()];
        let mut first = TokenStream::new();
        let mut always = None;
        for (index, other) in case.forms[..form].iter().enumerate() {
            if !other.epochs.get(ctx.epoch).copied().unwrap_or(true) {
                continue;
            }
            for row in &ctx.view.records[other.record.index()].rows {
                if matches!(row.role, Role::Derived) && row.equation().is_some() {
                    return unable("a form with a number that follows from others");
                }
                if ctx.view.size_rule(other.record, row, epoch_id(ctx.epoch)).is_some() {
                    return unable("a form that asks how many bytes a struct takes");
                }
                let own = here.rows.iter().find(|own| own.name == row.name && row.name.is_some());
                if own.is_some_and(|own| !same_records(ctx.view, &own.ty, &row.ty)) {
                    return unable("a form of another struct");
                }
            }
            let said = Said { view: ctx.view, epoch: ctx.epoch, form: other };
            let test = self.straight.form_says(said, &|_, row| {
                // The value has what the case has.
                let named = |of: &Row| of.name == row.name;
                let field = (0..).zip(&logical.rows).find(|(_, of)| named(of))?;
                let field = self.straight.shapes.field(case.record, RowId(field.0))?;
                let (_, local) =
                    rows.fields.iter().find(|(id, _)| named(&here.rows[id.index()]))?;
                let code = self.straight.reached(&field.shape, &quote!((&#local)));
                Some((code, field.shape.clone()))
            })?;
            let index = Literal::usize_unsuffixed(index);
            let Some(test) = test else {
                always = Some(index);
                break;
            };
            first.extend(quote!(if #test { #index } else));
        }
        if first.is_empty() && always.is_none() {
            return Ok(());
        }
        let keeps = match &rows.keeps {
            Some(keeps) => keeps.clone(),
            None => {
                let keeps = self.local("k");
                rows.code.extend(quote!(let mut #keeps = ::formwork::Spelling::default();));
                rows.keeps = Some(keeps.clone());
                keeps
            }
        };
        let form = Literal::usize_unsuffixed(form);
        let last = always.unwrap_or_else(|| form.clone());
        rows.code.extend(quote!(s::keep_form(&mut #keeps, #form, #first { #last });));
        Ok(())
    }
}

/// Whether two types have the same structs in them, as far as those are more than their only row.
fn same_records(model: &Model, a: &Type, b: &Type) -> bool {
    let records = |ty: &Type| -> Vec<RecordId> {
        let parts = ty.parts().filter_map(|part| match model.through_transparent(part) {
            Type::Record(id) => Some(*id),
            _ => None,
        });
        parts.collect()
    };
    records(a) == records(b)
}
