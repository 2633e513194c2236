//! Datasets of HDF5 files that may come from anywhere: what a file claims is compared with its size before memory is asked
//! for.

use hdf5_pure::{Dataset, Error, H5Element};

/// The most that the filters of HDF5 compress: deflate, by 1032.
const MOST_COMPRESSION: u64 = 1032;

/// The numbers of a dataset in a file of `length` bytes.
pub fn numbers<T: H5Element>(dataset: &Dataset, length: u64) -> Result<Vec<T>, String> {
    check_size(dataset, length)?;
    dataset.read::<T>().map_err(words)
}

/// The strings of a dataset in a file of `length` bytes.
pub fn strings(dataset: &Dataset, length: u64) -> Result<Vec<String>, String> {
    check_size(dataset, length)?;
    // Strings of a variable length are stored beside the dataset, and many may be the same bytes of the file.
    if dataset.vlen_string_payload_size().is_ok_and(|bytes| bytes > length) {
        return Err("contains strings that are longer than the file".into());
    }
    dataset.read_string().map_err(words)
}

/// The number of rows of a dataset in a file of `length` bytes.
pub fn rows(dataset: &Dataset, length: u64) -> Result<usize, String> {
    check_size(dataset, length)?;
    let shape = dataset.shape().map_err(words)?;
    let rows = shape.first().ok_or("is a single value, expected a list")?;
    usize::try_from(*rows).map_err(|_| "has more rows than fit into memory".into())
}

fn check_size(dataset: &Dataset, length: u64) -> Result<(), String> {
    let shape = dataset.shape().map_err(words)?;
    let element = dataset.element_size().map_err(words)?;
    let bytes = shape.iter().try_fold(element, |product, &n| product.checked_mul(n));
    let most = if dataset.filters().is_empty() { length } else { length.saturating_mul(MOST_COMPRESSION) };
    if bytes.is_none_or(|bytes| bytes > most) {
        return Err(format!("has shape {shape:?}, which is larger than the file"));
    }
    Ok(())
}

fn words(error: Error) -> String {
    error.to_string()
}
