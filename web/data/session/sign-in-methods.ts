import type { BodyInputOf } from "#contract/api.ts";
import { useServices } from "../provider.tsx";
import { useResource } from "../resource.ts";
import { createPasskey } from "./passkeys.ts";

/** How the person signs in. */
export function useSignInMethods() {
  const { call } = useServices();
  const { data: methods, retry: refresh, change } = useResource(["sign-in-methods"], "accounts.methods", {});
  return {
    methods,
    refresh,
    async removeIdentity(providerId: string) {
      await change("accounts.removeIdentity", { params: { sign_in_provider_id: providerId } });
    },
    async removeProxyIdentity() {
      await change("accounts.removeProxyIdentity", {});
    },
    /** Lets the person create a passkey in the browser, and stores it. */
    async addPasskey(name: string) {
      const { options } = await call("accounts.startPasskey", {});
      const credential = await createPasskey(options);
      await change("accounts.addPasskey", { body: { name, credential } });
    },
    async setPassword(body: BodyInputOf<"accounts.changePassword">) {
      await change("accounts.changePassword", { body });
    },
    startSecondFactor: async () => await call("accounts.startSecondFactor", {}),
    /** Returns the recovery codes. */
    addSecondFactor: async (body: BodyInputOf<"accounts.addSecondFactor">): Promise<string[]> =>
      (await change("accounts.addSecondFactor", { body })).recovery_codes,
    renewRecoveryCodes: async (): Promise<string[]> =>
      (await change("accounts.renewRecoveryCodes", {})).recovery_codes,
    async removeSecondFactor() {
      await change("accounts.removeSecondFactor", {});
    },
    async removePasskey(id: string) {
      await change("accounts.removePasskey", { params: { passkey_id: id } });
    },
  };
}
