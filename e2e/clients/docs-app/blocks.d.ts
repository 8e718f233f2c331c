/** The code blocks of the page that are components, by file name. See `docs.test.ts`. */
declare module "virtual:blocks" {
  const blocks: Record<
    string,
    { App: import("react").ComponentType<{ children: import("react").ReactNode }> }
  >;
  export default blocks;
}
