/** The part of WebAssembly that is used here. Types bring it with the DOM, which the server does not have. */
declare namespace WebAssembly {
  class Module {
    // What it is made of is nobody's business.
    private readonly compiled: true;
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number };
  type Imports = Record<string, unknown>;
  type Exports = Record<string, unknown>;
  function compile(code: Uint8Array): Promise<Module>;
}
