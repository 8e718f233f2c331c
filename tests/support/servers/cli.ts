import { runCli } from "#cli/program.ts";
import { settingsOf, type ServerPlace } from "./server.ts";

export type Ran = { code: number; out: string; err: string };

/** Runs a command with the settings of the server at `place`, which may be running. */
export async function runCommand(
  place: ServerPlace,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Ran> {
  const output = { out: "", err: "" };
  const code = await runCli(args, {
    folder: place.dataDir,
    environment: settingsOf(place, undefined, settings),
    out: (text) => void (output.out += text),
    err: (text) => void (output.err += text),
  });
  return { code, ...output };
}

/** Runs a command with `--json` and returns its output. Throws if the command fails. */
export async function runCommandJson<T>(place: ServerPlace, ...args: string[]): Promise<T> {
  const { code, out, err } = await runCommand(place, [...args, "--json"]);
  if (code !== 0) throw new Error(`cli ${args.join(" ")} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}
