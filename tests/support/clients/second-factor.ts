import { Secret, TOTP } from "otpauth";
import type { TestServer } from "../servers/server.ts";
import { openBrowser, password, type Browser } from "./browser.ts";

/** An authenticator app on the test's clock, and people who use it. */
export function authenticatorOf(server: () => TestServer) {
  const codeOf = (secret: string, aheadMs = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server().clock.now() + aheadMs });
  return {
    codeOf,

    /** Each code is accepted once. */
    nextCode(secret: string): string {
      server().clock.advance(30_000);
      return codeOf(secret);
    },

    wrongCodeOf: (secret: string) => (codeOf(secret) === "123456" ? "654321" : "123456"),

    async setUp(browser: Browser) {
      const { secret, uri, setup } = await browser.call("accounts.startSecondFactor");
      const { recovery_codes: recoveryCodes } = await browser.call("accounts.addSecondFactor", {
        body: { setup, code: codeOf(secret) },
      });
      return { secret, uri, recoveryCodes };
    },

    /** Signs in, from a new address unless `browser` is given. */
    ask: async (email: string, code?: string, browser = openBrowser(server().url)) =>
      await browser.post("accounts.signIn", { email, password, ...(code === undefined ? {} : { code }) }),
  };
}
