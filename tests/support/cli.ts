import { runCli } from "#cli/program.ts";
import { settingsOf, type ServerPlace } from "./server.ts";

export type Ran = { code: number; out: string; err: string };

/** Types a command with the settings of the server at `place`, which may be running. */
export async function typed(
  place: ServerPlace,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Ran> {
  const ran = { out: "", err: "" };
  const code = await runCli(args, {
    root: place.dataDir,
    environment: settingsOf(place, undefined, settings),
    out: (text) => void (ran.out += text),
    err: (text) => void (ran.err += text),
  });
  return { code, ...ran };
}

/** The same with `--json`: what a program reads of it. Throws where the command fails. */
export async function typedJson<T>(place: ServerPlace, ...args: string[]): Promise<T> {
  const { code, out, err } = await typed(place, [...args, "--json"]);
  if (code !== 0) throw new Error(`cli ${args.join(" ")} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}
