/** The part of WebAssembly that is used here. TypeScript declares it in the DOM library, which the server excludes. */
declare namespace WebAssembly {
  class Module {
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
