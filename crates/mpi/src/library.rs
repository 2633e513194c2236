//! The library of MPI: its functions, found by name in a file that is opened at run time.
//!
//! This is the one place that relies on what the standard says of functions in C, and each call states what it relies on. Three
//! binary interfaces are in use. In that of MPICH and its kin handles are integers; in those of Open MPI and of the standard
//! (MPI 5.0, chapter "Application Binary Interface") they are pointers. The functions are the same, so they are written once
//! for both types of handle; a few constants differ.

#![allow(unsafe_code)] // Functions of a library in C are called here, and nowhere else.

use crate::messenger::Functions;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use riprap_solve::ranks::Parcel;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null_mut, without_provenance_mut};

/// Opens a library of MPI; what is wrong with it otherwise.
pub fn open(name: &str) -> Result<Box<dyn Functions>, String> {
    // SAFETY: opening a library runs its initialisers. It is one that the user named or installed as MPI. It is opened for all,
    // because the plugins of Open MPI look for its functions.
    let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) }.map_err(|error| error.to_string())?;
    let flaw = |error: libloading::Error| format!("{name}: {error}");
    if let Ok(world) = address(&library, b"ompi_mpi_comm_world\0") {
        let double = address(&library, b"ompi_mpi_double\0").map_err(flaw)?;
        let constants = Constants { world, double, no_statuses: null_mut(), serialized: 2 };
        return Ok(Box::new(Mpi::new(library, constants).map_err(flaw)?));
    }
    let is_standard = name.rsplit('/').next().is_some_and(|file| file.starts_with("libmpi_abi"));
    if is_standard {
        let handle = without_provenance_mut::<c_void>;
        let constants =
            Constants { world: handle(0x101), double: handle(0x214), no_statuses: null_mut(), serialized: 2048 };
        return Ok(Box::new(Mpi::new(library, constants).map_err(flaw)?));
    }
    let constants: Constants<c_int> =
        Constants { world: 0x4400_0000, double: 0x4c00_080b, no_statuses: without_provenance_mut(1), serialized: 2 };
    Ok(Box::new(Mpi::new(library, constants).map_err(flaw)?))
}

/// The address of something in a library.
fn address(library: &Library, name: &[u8]) -> Result<*mut c_void, libloading::Error> {
    // SAFETY: the address is not followed here; in Open MPI those of these objects are the handles.
    unsafe { library.get::<*mut c_void>(name) }.map(|symbol| symbol.into_raw())
}

/// What differs between binary interfaces.
struct Constants<H> {
    /// `MPI_COMM_WORLD`.
    world: H,
    /// `MPI_DOUBLE`.
    double: H,
    /// `MPI_STATUSES_IGNORE`.
    no_statuses: *mut c_void,
    /// `MPI_THREAD_SERIALIZED`: calls come from any thread, one at a time.
    serialized: c_int,
}

type InitThread = unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int;
type Ask<H> = unsafe extern "C" fn(H, *mut c_int) -> c_int;
type Begin<H, B> = unsafe extern "C" fn(B, c_int, H, c_int, c_int, H, *mut H) -> c_int;
type Waitall<H> = unsafe extern "C" fn(c_int, *mut H, *mut c_void) -> c_int;
type Allgatherv<H> =
    unsafe extern "C" fn(*const c_void, c_int, H, *mut c_void, *const c_int, *const c_int, H, H) -> c_int;
type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;

/// MPI with one type of handle.
struct Mpi<H> {
    constants: Constants<H>,
    init_thread: InitThread,
    rank: Ask<H>,
    size: Ask<H>,
    isend: Begin<H, *const c_void>,
    irecv: Begin<H, *mut c_void>,
    waitall: Waitall<H>,
    allgatherv: Allgatherv<H>,
    version: Version,
    finalize: unsafe extern "C" fn() -> c_int,
    /// Keeps the functions where they are.
    _library: Library,
}

// SAFETY: the pointers in it are handles and addresses of functions, good on all threads; MPI is asked for support of calls from
// any thread, one at a time, and whoever has the box makes them so.
unsafe impl<H> Send for Mpi<H> {}

impl<H: Copy> Mpi<H> {
    fn new(library: Library, constants: Constants<H>) -> Result<Self, libloading::Error> {
        // SAFETY: the types are those of the functions in the standard, with the handles of this library.
        unsafe {
            Ok(Mpi {
                init_thread: *library.get::<InitThread>(b"MPI_Init_thread\0")?,
                rank: *library.get::<Ask<H>>(b"MPI_Comm_rank\0")?,
                size: *library.get::<Ask<H>>(b"MPI_Comm_size\0")?,
                isend: *library.get::<Begin<H, *const c_void>>(b"MPI_Isend\0")?,
                irecv: *library.get::<Begin<H, *mut c_void>>(b"MPI_Irecv\0")?,
                waitall: *library.get::<Waitall<H>>(b"MPI_Waitall\0")?,
                allgatherv: *library.get::<Allgatherv<H>>(b"MPI_Allgatherv\0")?,
                version: *library.get::<Version>(b"MPI_Get_library_version\0")?,
                finalize: *library.get::<unsafe extern "C" fn() -> c_int>(b"MPI_Finalize\0")?,
                constants,
                _library: library,
            })
        }
    }

    fn ask(&self, function: Ask<H>) -> usize {
        let mut answer = 0;
        // SAFETY: MPI has begun, the communicator is that of the library, and the answer has its place.
        check(unsafe { function(self.constants.world, &mut answer) });
        usize::try_from(answer).expect("numbers of processes are not negative")
    }
}

/// By default MPI ends all processes with a message where something fails; a library that returns instead is not trusted.
fn check(code: c_int) {
    assert_eq!(code, 0, "MPI has failed");
}

/// A number as MPI counts.
fn count(number: usize) -> c_int {
    c_int::try_from(number).expect("fewer numbers in a message than MPI can count")
}

impl<H: Copy> Functions for Mpi<H> {
    fn name(&self) -> String {
        // Longer than any library allows (at most 8192).
        let (mut name, mut length) = (vec![0_u8; 16384], 0);
        // SAFETY: this function may be called before MPI begins, and the name has room.
        let code = unsafe { (self.version)(name.as_mut_ptr().cast(), &mut length) };
        name.truncate(usize::try_from(length).unwrap_or(0));
        let name = String::from_utf8_lossy(&name);
        let first = name.trim_matches('\0').lines().next().unwrap_or_default().trim();
        let words: Vec<&str> = first.split(", ").next().unwrap_or(first).split_whitespace().collect();
        if code != 0 || words.is_empty() { "MPI".into() } else { words.join(" ") }
    }

    fn begin(&self) -> Result<[usize; 2], String> {
        let (asked, mut provided) = (self.constants.serialized, 0);
        // SAFETY: null pointers are allowed instead of arguments, and what is provided has its place.
        let code = unsafe { (self.init_thread)(null_mut(), null_mut(), asked, &mut provided) };
        if code != 0 {
            return Err(format!("MPI_Init_thread returned {code}"));
        }
        if provided < asked {
            return Err("it cannot be called from several threads, one at a time".into());
        }
        Ok([self.ask(self.rank), self.ask(self.size)])
    }

    fn swap(&self, send: &[Parcel], receive: &mut [Parcel]) {
        let Constants { world, double, no_statuses, .. } = self.constants;
        let mut requests: Vec<H> = Vec::with_capacity(send.len() + receive.len());
        for parcel in receive {
            let (numbers, from) = (&mut parcel.numbers, count(parcel.rank));
            let mut request = world;
            // SAFETY: the numbers are borrowed until after the wait below, and as many as is said.
            let code = unsafe {
                (self.irecv)(numbers.as_mut_ptr().cast(), count(numbers.len()), double, from, 0, world, &mut request)
            };
            check(code);
            requests.push(request);
        }
        for parcel in send {
            let (numbers, to) = (&parcel.numbers, count(parcel.rank));
            let mut request = world;
            // SAFETY: as above; they are read only.
            let code = unsafe {
                (self.isend)(numbers.as_ptr().cast(), count(numbers.len()), double, to, 0, world, &mut request)
            };
            check(code);
            requests.push(request);
        }
        // SAFETY: these are all requests that were begun above, each once.
        check(unsafe { (self.waitall)(count(requests.len()), requests.as_mut_ptr(), no_statuses) });
    }

    fn gather(&self, own: &[f64], counts: &[usize], all: &mut [f64]) {
        let Constants { world, double, .. } = self.constants;
        assert_eq!(all.len(), counts.iter().sum::<usize>());
        let starts: Vec<c_int> =
            counts.iter().scan(0, |sum, number| Some(count(std::mem::replace(sum, *sum + number)))).collect();
        let counts: Vec<c_int> = counts.iter().map(|&number| count(number)).collect();
        // SAFETY: `own` and `all` do not overlap, `all` has room for what the counts say from each start on, and there is a count
        // for each process, which the caller has checked.
        let code = unsafe {
            let (own, number, all) = (own.as_ptr().cast(), count(own.len()), all.as_mut_ptr().cast());
            (self.allgatherv)(own, number, double, all, counts.as_ptr(), starts.as_ptr(), double, world)
        };
        check(code);
    }

    fn end(&self) {
        // SAFETY: MPI has begun, and there are no requests left.
        check(unsafe { (self.finalize)() });
    }
}
