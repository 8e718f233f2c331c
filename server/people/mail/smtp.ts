import type { MailProblem } from "#contract/endpoints/mail.ts";
import { unlessAborted } from "#server/lib/unless-aborted.ts";
import type { MailRow } from "./rows.ts";

export type SmtpServer = Pick<MailRow, "host" | "port" | "security" | "username" | "sender"> & {
  password: string | undefined;
};

/** A message could not be sent. `serverText`: what the mail server said. */
export class MailError extends Error {
  override readonly name = "MailError";
  readonly problem: MailProblem;
  readonly serverText: string | null;
  constructor(problem: MailProblem, serverText: string | null, cause: unknown) {
    super(`the message was not sent: ${problem}`, { cause });
    this.problem = problem;
    this.serverText = serverText;
  }
}

/** Mail servers answer at once, or make suspicious clients wait for some seconds. */
const timeoutMs = 20_000;
/** For the whole message. */
const messageMs = 30_000;

/** Sends one message. Throws `MailError`. */
export async function sendBySmtp(
  { host, port, security, username, sender, password }: SmtpServer,
  message: { to: string; subject: string; text: string; html: string },
): Promise<void> {
  // Loaded at the first message: most servers never send one.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    ...(username === null ? {} : { auth: { user: username, pass: password ?? "" } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // As an object, so that the address is not parsed as a list.
    const to = { name: "", address: message.to };
    const sending = transport.sendMail({ ...message, from: sender, to, xMailer: false });
    await unlessAborted(sending, AbortSignal.timeout(messageMs));
  } catch (error) {
    throw asMailError(error);
  } finally {
    transport.close();
  }
}

const problems: Record<string, MailProblem> = {
  EDNS: "host-not-found",
  ENOTFOUND: "host-not-found",
  EAI_AGAIN: "host-not-found",
  ECONNREFUSED: "connection-refused",
  EHOSTUNREACH: "connection-refused",
  ETIMEDOUT: "timeout",
  ETLS: "not-encrypted",
  EAUTH: "login-refused",
  ENOAUTH: "login-refused",
  EENVELOPE: "address-refused",
};

function asMailError(error: unknown): MailError {
  const {
    name,
    code = "",
    message,
    response,
    command,
    cause,
  } = error as Error & {
    code?: string;
    response?: string;
    command?: string;
    cause?: { code?: string };
  };
  const inner = cause?.code ?? /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)\b/.exec(message)?.[0] ?? "";
  const isCertificate = /certificate|self-signed|altname/i.test(message) || /CERT|ALTNAME/.test(inner);
  const isTls = /ssl|tls|wrong version number/i.test(message) || command === "STARTTLS";
  const problem =
    (name === "TimeoutError" ? "timeout" : undefined) ??
    problems[inner] ??
    (isCertificate ? "certificate" : undefined) ??
    problems[code] ??
    (isTls ? "not-encrypted" : "other");
  return new MailError(problem, response ?? null, error);
}
