//! The way in: context, root, and the functions of the root type.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Reading, number};
use crate::model::{ByteOrder, ByteOrderRule, RecordId, RowId, Storage, Type};
use crate::rust::shape::Shape;

impl Reading<'_, '_> {
    pub(super) fn engine(&self) -> TokenStream {
        let typed = self.typed_arms();
        quote! {
            impl<'i, 'o> rt::Engine<'i> for Reader<'i, 'o> {
                fn tree(&self) -> &rt::Tree<'i> {
                    &self.core.tree
                }
                fn tree_mut(&mut self) -> &mut rt::Tree<'i> {
                    &mut self.core.tree
                }
                fn is_reading(&self) -> bool {
                    true
                }
                fn epoch(&self) -> usize {
                    self.core.epoch
                }
                fn context(&self, variable: usize) -> rt::Val<'i> {
                    match self.core.context.get(variable) {
                        rt::Some(n) => rt::Val::Int(*n),
                        rt::None => rt::Val::None,
                    }
                }
                fn force(&mut self, node: rt::NodeId, slot: u16) -> rt::Fallible<()> {
                    rt::force_read(self, node, slot)
                }
                fn force_element(&mut self, loc: rt::Loc) -> rt::Fallible<()> {
                    rt::force_target(self, loc)
                        .map_err(|error| rt::Box::new(rt::Fault::Read(error)))
                }
                fn expr(
                    &mut self,
                    number: u16,
                    this: rt::NodeId,
                    it: rt::Option<&rt::Val<'i>>,
                ) -> rt::Fallible<rt::Val<'i>> {
                    expression(self, number, this, it)
                }
                fn element_of(&mut self, loc: rt::Loc) -> rt::Fallible<rt::Option<rt::Loc>> {
                    rt::element_of(self, loc)
                }
                fn charge(&mut self, units: u64) -> rt::Fallible<()> {
                    self.core
                        .budget
                        .charge(units)
                        .map_err(|kind| rt::Box::new(rt::Fault::Limit(kind)))
                }
                fn nesting(&mut self) -> &mut u32 {
                    &mut self.core.nesting
                }
                fn file_end(&self) -> rt::Fallible<u64> {
                    rt::Ok(self.core.length())
                }
                fn here(&self) -> u64 {
                    self.core.here
                }
                fn region_end(&self) -> u64 {
                    self.core.region_end
                }
                fn lists(&mut self, address: u64) -> rt::Fallible<rt::Option<bool>> {
                    rt::lists(self, address)
                }
            }

            impl<'i, 'o> rt::Texts<'i, 'o> for Reader<'i, 'o> {
                fn leaves(&self) -> rt::Leaves<'i, 'o> {
                    self.leaves
                }
            }

            impl<'i, 'o> rt::Reader<'i> for Reader<'i, 'o> {
                fn core(&self) -> &rt::Core<'i> {
                    &self.core
                }
                fn core_mut(&mut self) -> &mut rt::Core<'i> {
                    &mut self.core
                }
                fn typed(
                    &mut self,
                    number: u16,
                    f: &mut rt::Frame<'i>,
                    row: &'static r::Row,
                    cursor: &mut rt::Cursor<'i>,
                ) -> rt::Read<(rt::Item<'i>, u32)> {
                    let (cx, at) = (self, cursor.at);
                    rt::Ok(match number {
                        #typed
                        _ => (rt::Item::Absent, rt::NOTHING),
                    })
                }
                fn own(
                    &mut self,
                    number: u16,
                    f: &rt::Frame<'i>,
                    it: rt::Option<&rt::Val<'i>>,
                ) -> rt::Fallible<rt::Val<'i>> {
                    own(self, number, &mut |_, row| rt::Ok(f.val(row)), it)
                }
            }
        }
    }

    /// The function that reads a file, and those of the root type.
    pub(super) fn entry(&self) -> TokenStream {
        let root = self.model.root;
        let root_number = number(root.index());
        let finish = format_ident!("finish_{}", root.0);
        let ty = self.ty(&Shape::Struct(root));
        let order = match self.model.byte_order {
            ByteOrderRule::Fixed(_) => quote!(),
            ByteOrderRule::Mark { offset } => {
                let names = self.names(&self.mark_path(root, 0).unwrap_or_default());
                quote! {
                    let at = rt::early(bytes, #offset, 2, &[#(#names),*])?;
                    let mut cursor = rt::Cursor::new(at, cx.core.length());
                    let mark = cx.core.take(&mut cursor, 2)?;
                    match rt::byte_order_mark(mark, at) {
                        rt::Ok(order) => cx.core.big = order == ::formwork::Endian::Big,
                        rt::Err(error) => {
                            return rt::Err(error.with_path(rt::fields(&[#(#names),*])));
                        }
                    }
                }
            }
        };
        let variables = self.model.epoch_variables.iter().map(|variable| {
            let Storage::Fixed(int) = variable.cell.storage else {
                return quote!(cx.core.context.push(0););
            };
            let names = self.names(&variable.path);
            let (offset, width) = (variable.offset, int.bytes);
            let size = u64::from(int.bytes);
            let bits = u32::from(int.bytes) * 8;
            let signed = int.signed;
            let big = match int.order {
                Some(ByteOrder::Little) => quote!(false),
                Some(ByteOrder::Big) => quote!(true),
                None => quote!(cx.core.big),
            };
            quote! {
                let at = rt::early(bytes, #offset, #size, &[#(#names),*])?;
                let mut cursor = rt::Cursor::new(at, cx.core.length());
                let big = #big;
                let raw = cx.core.uint(&mut cursor, #width, big)?;
                cx.core.context.push(rt::signed(raw, #bits, #signed));
            }
        });
        let epochs = self.model.epochs.iter().map(|epoch| {
            let variables = epoch.ranges.iter().map(|ranges| {
                let ranges = ranges.iter().map(|(low, high)| {
                    let (low, high) = (Literal::i128_suffixed(*low), Literal::i128_suffixed(*high));
                    quote!((#low, #high))
                });
                quote!(&[#(#ranges),*])
            });
            quote!(&[#(#variables),*])
        });
        let choose = if self.model.epoch_variables.is_empty() {
            quote!()
        } else {
            let infos = self.model.epoch_variables.iter().map(|variable| {
                let (name, offset) = (&variable.name, variable.offset);
                let names = self.names(&variable.path);
                quote!((#name, #offset, &[#(#names),*]))
            });
            quote! {
                static EPOCHS: &[&[&[(i128, i128)]]] = &[#(#epochs),*];
                static VARIABLES: &[(&str, u64, &[&str])] = &[#(#infos),*];
                cx.core.epoch = rt::choose_epoch(&cx.core.context, EPOCHS, VARIABLES)?;
            }
        };
        let ident = self.shapes.ident(root);
        let borrows = self.shapes.borrows(&Shape::Struct(root));
        let (generic, own) = if borrows {
            (quote!(<'a>), quote!(#ident<'static>))
        } else {
            (quote!(), quote!(#ident))
        };
        let input = if borrows { quote!(&'a [u8]) } else { quote!(&[u8]) };
        // A file that straight code carries has nothing to note.
        let straight = self.plan.straight.then(|| {
            quote! {
                if let rt::Ok(value) = super::straight::file::<M>(bytes, options) {
                    return rt::Ok(value);
                }
            }
        });
        let plain = if self.plan.straight {
            quote!(super::straight::file::<rt::Borrow>(bytes, options).ok())
        } else {
            quote!(rt::None)
        };
        let methods = quote! {
            impl #generic super::#ident #generic {
                /// Reads a file.
                ///
                /// # Errors
                ///
                /// The first thing that does not fit the schema, with its offset in bytes and its
                /// path.
                pub fn read(bytes: #input) -> rt::Result<Self, ::formwork::ReadError> {
                    Self::read_with(bytes, &::formwork::ReadOptions::default())
                }

                /// Reads a file with these limits, as strictly as they say.
                ///
                /// # Errors
                ///
                /// The first thing that does not fit the schema, with its offset in bytes and its
                /// path.
                pub fn read_with(
                    bytes: #input,
                    options: &::formwork::ReadOptions,
                ) -> rt::Result<Self, ::formwork::ReadError> {
                    file::<rt::Borrow>(bytes, options, rt::None)
                }

                /// Reads a file, and notes what is worth knowing of it and no error, such as
                /// pointers of which the relocation table does not know.
                ///
                /// # Errors
                ///
                /// The first thing that does not fit the schema, with its offset in bytes and its
                /// path.
                pub fn read_noting(
                    bytes: #input,
                    options: &::formwork::ReadOptions,
                    notes: &mut ::formwork::Notes,
                ) -> rt::Result<Self, ::formwork::ReadError> {
                    file::<rt::Borrow>(bytes, options, rt::Some(notes))
                }

                /// Reads a file by the reader that carries every file.
                #[doc(hidden)]
                pub fn __read_thorough(
                    bytes: #input,
                    options: &::formwork::ReadOptions,
                ) -> rt::Result<Self, ::formwork::ReadError> {
                    read_thorough::<rt::Borrow>(bytes, options, rt::None)
                }

                /// Reads a file, if the reader for plain files carries it.
                #[doc(hidden)]
                pub fn __read_straight(
                    bytes: #input,
                    options: &::formwork::ReadOptions,
                ) -> rt::Option<Self> {
                    #plain
                }
            }
        };
        let owned_ident = if borrows { quote!(#ident<'static>) } else { quote!(#ident) };
        let _ = own;
        quote! {
            fn file<'i, 'o, M: rt::Mode<'i, 'o>>(
                bytes: &'i [u8],
                options: &::formwork::ReadOptions,
                notes: rt::Option<&mut ::formwork::Notes>,
            ) -> rt::Read<#ty> {
                #straight
                read_thorough::<M>(bytes, options, notes)
            }

            fn read_thorough<'i, 'o, M: rt::Mode<'i, 'o>>(
                bytes: &'i [u8],
                options: &::formwork::ReadOptions,
                notes: rt::Option<&mut ::formwork::Notes>,
            ) -> rt::Read<#ty> {
                let core = rt::Core::new(bytes, &TABLES, options);
                let leaves = rt::Leaves::of::<M>();
                let mut cx = Reader { core, store: Store::default(), leaves };
                let result = whole(&mut cx, bytes);
                if let rt::Some(notes) = notes {
                    for note in cx.core.notes.all() {
                        notes.push(note.clone());
                    }
                }
                result
            }

            fn whole<'i, 'o>(
                cx: &mut Reader<'i, 'o>,
                bytes: &'i [u8],
            ) -> rt::Read<#ty> {
                #order
                #(#variables)*
                #choose
                let root = cx.core.tree.add(#root_number, rt::None);
                let mut cursor = rt::Cursor::new(0, cx.core.length());
                rt::read_record(cx, &mut cursor, root)?;
                cx.core.claim(0, cursor.at);
                rt::resolve(cx, root)?;
                rt::settle(cx)?;
                rt::strictly(cx)?;
                Reader::#finish(cx, root)
            }

            #methods

            impl super::#owned_ident {
                /// Reads a file into a value that borrows nothing of it.
                ///
                /// # Errors
                ///
                /// The first thing that does not fit the schema, with its offset in bytes and its
                /// path.
                pub fn read_owned(bytes: &[u8]) -> rt::Result<Self, ::formwork::ReadError> {
                    file::<rt::Owning>(bytes, &::formwork::ReadOptions::default(), rt::None)
                }
            }
        }
    }

    /// Names of rows that inline rows lead to from the root.
    fn names(&self, rows: &[RowId]) -> Vec<String> {
        let mut record = self.model.root;
        let mut names = Vec::new();
        for row in rows {
            let Some(row) = self.model.records[record.index()].rows.get(row.index()) else { break };
            names.extend(row.name.clone());
            if let Type::Record(inner) = row.ty {
                record = inner;
            }
        }
        names
    }

    /// Inline rows from a record to the byte order mark.
    fn mark_path(&self, record: RecordId, depth: u32) -> Option<Vec<RowId>> {
        if depth > 64 {
            return None;
        }
        (0_u32..).zip(&self.model.records[record.index()].rows).find_map(|(index, row)| {
            let mut path = match row.ty {
                Type::ByteOrderMark => Vec::new(),
                Type::Record(inner) => self.mark_path(inner, depth + 1)?,
                _ => return None,
            };
            path.insert(0, RowId(index));
            Some(path)
        })
    }
}
