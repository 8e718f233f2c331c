import { execFile } from "node:child_process";
import { npmProgram } from "../runner/packages.mjs";

export type NpmRun = { output: unknown; failure?: { code: string; reason: string } };

export type Npm = (folder: string, args: string[]) => Promise<NpmRun>;

/** The registry did not answer, so nothing is known about its packages. */
export class RegistryUnreachable extends Error {}

const networkCodes =
  /^(EAI_AGAIN|ENOTFOUND|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR|ENOTCACHED|E5\d\d)$/;

/** Runs npm with additional environment variables. Returns why a command failed; throws if the registry is unreachable. */
export function createNpm(env: Record<string, string> = {}): Npm {
  return async (folder, args) => {
    const { stdout, stderr } = await run(folder, args, env);
    const output = parsed(stdout);
    const error = (output as { error?: { code?: string; summary?: string } } | undefined)?.error;
    if (output !== undefined && error === undefined) return { output };
    const code = error?.code ?? "unknown";
    const reason = (error?.summary ?? stderr).trim().split("\n")[0] ?? "";
    if (networkCodes.test(code)) throw new RegistryUnreachable(`${code}: ${reason}`);
    return { output, failure: { code, reason } };
  };
}

function run(folder: string, args: string[], env: Record<string, string>) {
  const flags = ["--json", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-online"];
  const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    // npm writes why it failed to its outputs.
    execFile(process.execPath, [npmProgram(), ...args, ...flags], options, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
