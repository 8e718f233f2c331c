import { DatabaseSetupError, DatabaseUnreachableError, StorageBusyError } from "#storage/lib/errors.ts";

/** The setting that the address comes from. */
type Address = { url: string; setting: "DATABASE_URL" | "DATABASE_DIRECT_URL" };

/**
 * The error for the operator when PostgreSQL cannot be opened at `address`: `DatabaseUnreachableError` if waiting may
 * help, `DatabaseSetupError` if something must be corrected. Other errors are returned unchanged.
 */
export function explainOpenError(error: unknown, address: Address): unknown {
  const cause = error instanceof StorageBusyError && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return error;
  const code = (cause as { code?: unknown }).code;
  const setup = setupProblem(code, cause.message, address);
  if (setup !== undefined) return new DatabaseSetupError(setup, { cause: error });
  if (!(error instanceof StorageBusyError)) return error;
  return new DatabaseUnreachableError(unreachable(code, cause.message, address), { cause: error });
}

/** What must be corrected. The codes are SQLSTATEs, from appendix A of PostgreSQL's manual. */
function setupProblem(code: unknown, message: string, { url, setting }: Address): string | undefined {
  const { user, host, database } = partsOf(url);
  if (code === "28P01")
    return `PostgreSQL at ${host} does not accept the user ${user} with this password. Correct ${setting}.`;
  if (/password must be a (non-empty )?string/.test(message))
    return `PostgreSQL at ${host} requires a password for the user ${user}. Add it to ${setting}: postgres://${user}:password@${host}/${database}`;
  if (code === "28000")
    return `PostgreSQL at ${host} does not let the user ${user} connect (${message}). Correct the user in ${setting}, or create the role and allow it in pg_hba.conf.`;
  if (code === "3D000")
    return `PostgreSQL at ${host} has no database "${database}". Create it (create database "${database}"), or correct ${setting}.`;
  if (code === "42501" || code === "3F000")
    return `The user ${user} may not create tables in the database "${database}". As its owner, run: alter database "${database}" owner to "${user}"; or: grant all on schema public to "${user}";`;
  if (code === "25006")
    return `The database "${database}" at ${host} is read-only, perhaps a standby. Set ${setting} to the primary server.`;
  if (/does not support SSL/.test(message))
    return `PostgreSQL at ${host} does not support TLS. Remove sslmode from ${setting}, or turn on TLS there.`;
  if (/certificate/i.test(message))
    return `The TLS certificate of PostgreSQL at ${host} is not trusted (${message}). Add sslrootcert to ${setting}, or correct the certificate.`;
  return undefined;
}

function unreachable(code: unknown, message: string, { url, setting }: Address): string {
  const { hostname, host } = partsOf(url);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The host ${hostname} of ${setting} is unknown. Correct its name, or start the machine that has it.`;
  if (code === "ECONNREFUSED" || code === "ENOENT")
    return `Nothing answers at ${host} (${code}). Start PostgreSQL, or correct host and port in ${setting}.`;
  if (typeof code === "string" && /^(57|53)/.test(code))
    return `PostgreSQL at ${host} does not accept connections now (${message}).`;
  return `PostgreSQL at ${host} does not answer (${typeof code === "string" ? code : message}). Check host and port in ${setting}, the firewall, and whether PostgreSQL runs.`;
}

function partsOf(url: string): { user: string; hostname: string; host: string; database: string } {
  const { username, hostname, host, port, pathname } = new URL(url);
  const user = decodeURIComponent(username) || "(none)";
  const database = decodeURIComponent(pathname.slice(1)) || user;
  // Without a host, the address names a Unix socket in its parameters.
  return {
    user,
    hostname,
    host: hostname === "" ? "the socket" : port === "" ? `${host}:5432` : host,
    database,
  };
}
