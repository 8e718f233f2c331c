import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { SignInMethods } from "#contract/endpoints/accounts.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";
import { createPasskey } from "./passkeys.ts";

/** How the person signs in. */
export function useSignInMethods() {
  const { call, queries } = useServices();
  const queryKey = ["sign-in-methods"];
  const refresh = async () => await queries.invalidateQueries({ queryKey });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [queryKey], change);
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<SignInMethods> => await call("accounts.methods", {}, signal),
    staleTime: 0,
  });
  return {
    methods: query.data,
    refresh,
    async removeIdentity(providerId: string) {
      await afterwards(call("accounts.removeIdentity", { params: { sign_in_provider_id: providerId } }));
    },
    async removeProxyIdentity() {
      await afterwards(call("accounts.removeProxyIdentity", {}));
    },
    /** Lets the person create a passkey in the browser, and stores it. */
    async addPasskey(name: string) {
      const { options } = await call("accounts.startPasskey", {});
      const credential = await createPasskey(options);
      await afterwards(call("accounts.addPasskey", { body: { name, credential } }));
    },
    async setPassword(body: BodyInputOf<"accounts.changePassword">) {
      await afterwards(call("accounts.changePassword", { body }));
    },
    startSecondFactor: async () => await call("accounts.startSecondFactor", {}),
    /** Returns the recovery codes. */
    addSecondFactor: async (body: BodyInputOf<"accounts.addSecondFactor">): Promise<string[]> =>
      (await afterwards(call("accounts.addSecondFactor", { body }))).recovery_codes,
    renewRecoveryCodes: async (): Promise<string[]> =>
      (await afterwards(call("accounts.renewRecoveryCodes", {}))).recovery_codes,
    async removeSecondFactor() {
      await afterwards(call("accounts.removeSecondFactor", {}));
    },
    async removePasskey(id: string) {
      await afterwards(call("accounts.removePasskey", { params: { passkey_id: id } }));
    },
  };
}
