import type { BodyInputOf } from "#contract/api.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { useServices } from "../provider.tsx";
import { none, useResource } from "../resource.ts";

/** The providers that people sign in with, for administrators. Changes throw `CallError`. */
export function useSignInProviders() {
  const { data, change, ...list } = useResource(["sign-in-providers"], "signInProviders.list", {});
  const providers: SignInProvider[] = data?.providers ?? none;
  const params = (id: string) => ({ params: { sign_in_provider_id: id } });
  return {
    ...list,
    providers,
    create: async (body: BodyInputOf<"signInProviders.create">) =>
      await change("signInProviders.create", { body }),
    update: async (id: string, body: BodyInputOf<"signInProviders.update">) =>
      await change("signInProviders.update", { ...params(id), body }),
    remove: async (id: string) => await change("signInProviders.remove", params(id)),
  };
}

/** Says what is wrong with a directory that is not stored yet, and who somebody is there. Throws `CallError`. */
export function useTestDirectory() {
  const { call } = useServices();
  return async (body: BodyInputOf<"directories.test">) => await call("directories.test", { body });
}
