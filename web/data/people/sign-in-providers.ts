import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { SignInMethods } from "#contract/endpoints/accounts.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { loadedOf } from "../load-state.ts";
import { createPasskey } from "../session/passkeys.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";
import { peopleKey } from "./people.ts";

/** The providers that people sign in with, for administrators. Changes throw `CallError`. */
export function useSignInProviders() {
  const { call, queries } = useServices();
  const queryKey = [...peopleKey, "providers"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("signInProviders.list", {}, signal),
    staleTime: 0,
  });
  const afterwards = async <T>(change: Promise<T>) => await refreshAfter(queries, [queryKey], change);
  const params = (id: string) => ({ params: { sign_in_provider_id: id } });
  return {
    ...loadedOf(query),
    providers: query.data?.providers ?? noProviders,
    create: async (body: BodyInputOf<"signInProviders.create">) =>
      await afterwards(call("signInProviders.create", { body })),
    update: async (id: string, body: BodyInputOf<"signInProviders.update">) =>
      await afterwards(call("signInProviders.update", { ...params(id), body })),
    remove: async (id: string) => await afterwards(call("signInProviders.remove", params(id))),
  };
}

/** Says what is wrong with a directory that is not stored yet, and who somebody is there. Throws `CallError`. */
export function useTestDirectory() {
  const { call } = useServices();
  return async (body: BodyInputOf<"directories.test">) => await call("directories.test", { body });
}

const noProviders: SignInProvider[] = [];

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
