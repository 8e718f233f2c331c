/** The page's code blocks that are components, by their file names: see `docs.test.ts`. */
declare module "virtual:blocks" {
  const blocks: Record<
    string,
    { App: import("react").ComponentType<{ children: import("react").ReactNode }> }
  >;
  export default blocks;
}
