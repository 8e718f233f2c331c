import * as z from "zod/mini";
import { endpoints } from "./endpoints.ts";
import { limits } from "../limits.ts";
import { secondFactorCode } from "./account-fields.ts";
import { described } from "./fields.ts";

const recoveryCodes = z.object({
  recovery_codes: described(
    z.array(z.string()),
    "Each replaces a code once. They are in this response only.",
  ),
});
const recent = "Needs a sign-in or the password within the last ten minutes.";

export const secondFactorEndpoints = endpoints("account", {
  "accounts.startSecondFactor": {
    request: "POST /v1/account/second-factor/start",
    worksWithoutSecondFactor: true,
    audit: { none: "one-step" },
    summary: "Begin to set up a second factor",
    description: `A secret for an authenticator app (TOTP, RFC 6238). It counts once a code of it has been sent back, within ten minutes. ${recent}`,
    response: z.object({
      secret: described(z.string(), "In base32, to type in by hand."),
      uri: described(z.string(), "An `otpauth` URI, for a QR code."),
      setup: described(z.string(), "Send it back with the code."),
    }),
    errors: ["no-account", "confirmation-needed", "second-factor-exists", "secret-not-set"],
  },
  "accounts.addSecondFactor": {
    request: "POST /v1/account/second-factor",
    worksWithoutSecondFactor: true,
    audit: "second-factor-added",
    summary: "Set up a second factor",
    description: `From now on, a sign-in with the password needs a code too. Ends all other sessions. ${recent}`,
    body: z.object({ setup: z.string().check(z.maxLength(1_000)), code: secondFactorCode }),
    requestsPerMinute: limits.passwordsPerMinute,
    status: 201,
    response: recoveryCodes,
    errors: [
      "no-account",
      "confirmation-needed",
      "sign-in-expired",
      "wrong-code",
      "second-factor-exists",
      "rate-limited",
    ],
    example: { body: { setup: "$SETUP", code: "123456" } },
  },
  "accounts.renewRecoveryCodes": {
    request: "POST /v1/account/second-factor/recovery-codes",
    audit: "recovery-codes-created",
    summary: "Create new recovery codes",
    description: `The former ones no longer work. ${recent}`,
    status: 201,
    response: recoveryCodes,
    errors: ["confirmation-needed", "second-factor-not-found"],
  },
  "accounts.removeSecondFactor": {
    request: "DELETE /v1/account/second-factor",
    audit: "second-factor-removed",
    summary: "Remove your second factor",
    description: `The password alone is enough to sign in. ${recent}`,
    errors: ["confirmation-needed", "second-factor-not-found"],
  },
  "people.resetSecondFactor": {
    request: "DELETE /v1/people/{person_id}/second-factor",
    permission: "people.manage",
    audit: "second-factor-reset",
    summary: "Remove a person’s second factor",
    description:
      "For somebody who has lost their device and their recovery codes. Only owners can do this for an owner. It is refused for your own account.",
    errors: ["second-factor-not-found"],
  },
});
