import { delimiter, dirname } from "node:path";
import { inRoot } from "./paths.mjs";

/** Our surroundings with the chosen Node and the installed programs first on the PATH.
 * @param {string} nodeBinary
 * @returns {Record<string, string | undefined>} */
export function environmentFor(nodeBinary) {
  const env = { ...process.env };
  // Windows spells it Path.
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  env[key] = [dirname(nodeBinary), inRoot("node_modules", ".bin"), env[key]].filter(Boolean).join(delimiter);
  return env;
}
