import { spawn } from "node:child_process";
import { environmentFor } from "./environment.mjs";

/**
 * Runs a program to its end and keeps what it prints to itself, unless it fails: then the last of it is in
 * the error. A signal to us ends the program too.
 *
 * @param {string} nodeBinary
 * @param {string[]} args
 * @param {string} folder
 * @returns {Promise<void>}
 */
export function runQuietly(nodeBinary, args, folder) {
  return new Promise((resolve, reject) => {
    const child = spawn(nodeBinary, args, {
      cwd: folder,
      env: environmentFor(nodeBinary),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let words = "";
    for (const stream of [child.stdout, child.stderr]) {
      // 4,000 characters: the end of npm's or Vite's complaint, which is the part that says why.
      stream.on("data", (chunk) => (words = (words + chunk).slice(-4_000)));
    }
    const end = () => child.kill();
    process.once("exit", end);
    child.once("error", reject);
    child.once("close", (code) => {
      process.removeListener("exit", end);
      if (code === 0) resolve();
      else reject(new Error(words.trim() || `It ended with code ${code} and said nothing.`));
    });
  });
}
