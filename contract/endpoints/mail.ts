import * as z from "zod/mini";
import { languageTags } from "../i18n/languages.ts";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { email } from "./account-fields.ts";
import { described, namedObject, textOf } from "./fields.ts";

/** TLS from the first byte, a plain connection that is upgraded, or no encryption. */
const mailSecurities = ["tls", "starttls", "none"] as const;

const fields = {
  host: textOf(1, 253).check(z.regex(/^[\w.:-]+$/, "must be a host name")),
  port: z.number().check(z.int(), z.minimum(1), z.maximum(65_535)),
  security: described(
    z.enum(mailSecurities),
    "TLS from the beginning, STARTTLS (required), or no encryption.",
  ),
  username: described(z.nullable(textOf(1, 254)), "Null if the server needs no login."),
  sender: described(email, "The address that messages come from."),
};
const settings = namedObject("MailSettings", "The mail server that this server sends with.", {
  ...fields,
  has_password: z.boolean(),
});
export type MailSettings = z.infer<typeof settings>;

export const mailProblems = [
  "host-not-found",
  "connection-refused",
  "timeout",
  "not-encrypted",
  "certificate",
  "login-refused",
  "address-refused",
  "other",
] as const;
export type MailProblem = (typeof mailProblems)[number];

const testResult = namedObject("MailTestResult", "Whether a test message was sent.", {
  problem: described(z.nullable(z.enum(mailProblems)), "Null if the message was sent."),
  server_text: described(z.nullable(z.string()), "What the mail server said."),
  to: z.string(),
});
export type MailTestResult = z.infer<typeof testResult>;

/** The language of a message. */
export const mailLanguage = z.enum(languageTags);

const permission = "mail.manage" as const;

export const mailEndpoints = endpoints("account", {
  "mail.get": {
    request: "GET /v1/mail",
    permission,
    summary: "Get the mail server",
    description: "Null if none has been entered: then no e-mail is sent. The password is never returned.",
    response: z.object({ settings: z.nullable(settings) }),
  },
  "mail.put": {
    request: "PUT /v1/mail",
    permission,
    audit: "mail-settings-changed",
    summary: "Set the mail server",
    description:
      "Needs `PUBLIC_URL`. From now on, people can request links to set a new password, and invitations are sent by e-mail. The password is stored encrypted. Omit it to keep the stored password; this works only if host, port and user are unchanged.",
    body: z.object({ ...fields, password: z.optional(textOf(1, 1_000)) }),
    errors: ["public-url-not-set", "secret-not-set"],
    example: {
      body: {
        host: "mail.example.com",
        port: 587,
        security: "starttls",
        username: "chat",
        password: "a password",
        sender: "chat@example.com",
      },
    },
  },
  "mail.remove": {
    request: "DELETE /v1/mail",
    permission,
    audit: "mail-settings-changed",
    summary: "Remove the mail server",
    description: "No more e-mail is sent.",
    errors: ["mail-not-set"],
  },
  "mail.test": {
    request: "POST /v1/mail/test",
    permission,
    audit: { none: "no-change" },
    summary: "Send a test message",
    description: "To your own address, with the stored settings. The answer says what is wrong.",
    body: z.object({ language: mailLanguage }),
    requestsPerMinute: limits.passwordsPerMinute,
    response: testResult,
    errors: ["mail-not-set", "no-account", "rate-limited"],
    example: { body: { language: "en" } },
  },
  "accounts.requestReset": {
    request: "POST /v1/auth/password-reset/request",
    caller: "anyone",
    audit: { when: "if the person gets a link", writes: ["reset-link-created"] },
    summary: "Request a link to set a new password",
    description:
      "Only for the web app, from its own origin. If somebody has this address, they get a link by e-mail, which works once, within an hour. The answer is the same if no one has it.",
    body: z.object({ email, language: mailLanguage }),
    requestsPerMinute: limits.passwordsPerMinute,
    errors: ["not-allowed", "rate-limited", "mail-not-set"],
    example: {
      headers: { "Parlance-Client": "web" },
      body: { email: "ada@example.com", language: "en" },
    },
  },
});
