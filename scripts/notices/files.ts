/**
 * The folders of the packages that a build contains. `prebuilt`: of those whose own bundle it contains, with whatever they
 * need.
 */
export type BundledPackages = { folders: string[]; prebuilt: string[] };
/** In each build, until the notices are written: `BundledPackages`. */
export const bundledPackagesFile = "bundled-packages.json";
/** In the folder of the web app, which the server serves. */
export const noticesFile = "third-party-notices.txt";
