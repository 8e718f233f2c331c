import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** How PostgreSQL's own programs connect to a database. */
export type Connection = { url: string; env: NodeJS.ProcessEnv };

/** The password is not among the arguments, which everybody on the machine can see. */
export function connectionOf(databaseUrl: string): Connection {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { url: url.href, env: { ...process.env, ...(password === "" ? {} : { PGPASSWORD: password }) } };
}

export type ClientProgram = {
  process: ChildProcess;
  /** Resolves when it has succeeded. Rejects with `ClientProgramError`. */
  ended: Promise<void>;
};

/** A program of PostgreSQL is missing or has failed. The message is a sentence. */
export class ClientProgramError extends Error {
  override readonly name = "ClientProgramError";
}

/** Starts one of PostgreSQL's programs, such as `pg_dump`, from the `PATH`. */
export function startClientProgram(
  name: "pg_dump" | "pg_restore" | "psql",
  args: string[],
  { env }: Pick<Connection, "env">,
  stdio: ("ignore" | "pipe")[] = ["ignore", "ignore", "pipe"],
): ClientProgram {
  const child = spawn(name, args, { env, stdio });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (said += text));
  // The program's own end says more than a pipe that is closed.
  child.stdin?.on("error", () => {});
  const ended = once(child, "close").then(
    ([code]) => {
      if (code === 0) return;
      const reason = said.trim().split("\n").slice(0, 3).join(" ");
      throw new ClientProgramError(
        `${name} failed: ${reason === "" ? `it ended with ${String(code)}` : reason}`,
      );
    },
    (error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT"
        ? new ClientProgramError(`There is no program ${name} on the PATH.`)
        : error;
    },
  );
  // A caller that starts two programs waits for one, then for the other, whose failure is not unhandled meanwhile.
  ended.catch(() => {});
  return { process: child, ended };
}
