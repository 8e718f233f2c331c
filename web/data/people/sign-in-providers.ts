import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { SignInMethods } from "#contract/endpoints/accounts.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { loadedOf } from "../load-state.ts";
import { createPasskey } from "../session/passkeys.ts";
import { useServices } from "../provider.tsx";
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
  const afterwards = async <T>(action: Promise<T>): Promise<T> => {
    const result = await action;
    await queries.invalidateQueries({ queryKey });
    return result;
  };
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
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<SignInMethods> => await call("accounts.methods", {}, signal),
    staleTime: 0,
  });
  return {
    methods: query.data,
    refresh,
    async removeIdentity(providerId: string) {
      try {
        await call("accounts.removeIdentity", { params: { sign_in_provider_id: providerId } });
      } finally {
        await refresh();
      }
    },
    async removeProxyIdentity() {
      try {
        await call("accounts.removeProxyIdentity", {});
      } finally {
        await refresh();
      }
    },
    /** Lets the person create a passkey in the browser, and stores it. */
    async addPasskey(name: string) {
      const { options } = await call("accounts.startPasskey", {});
      const credential = await createPasskey(options);
      await call("accounts.addPasskey", { body: { name, credential } });
      await refresh();
    },
    async setPassword(body: BodyInputOf<"accounts.changePassword">) {
      await call("accounts.changePassword", { body });
      await refresh();
    },
    startSecondFactor: async () => await call("accounts.startSecondFactor", {}),
    /** Returns the recovery codes. */
    async addSecondFactor(body: BodyInputOf<"accounts.addSecondFactor">): Promise<string[]> {
      const { recovery_codes: codes } = await call("accounts.addSecondFactor", { body });
      await refresh();
      return codes;
    },
    async renewRecoveryCodes(): Promise<string[]> {
      const { recovery_codes: codes } = await call("accounts.renewRecoveryCodes", {});
      await refresh();
      return codes;
    },
    async removeSecondFactor() {
      try {
        await call("accounts.removeSecondFactor", {});
      } finally {
        await refresh();
      }
    },
    async removePasskey(id: string) {
      try {
        await call("accounts.removePasskey", { params: { passkey_id: id } });
      } finally {
        await refresh();
      }
    },
  };
}
