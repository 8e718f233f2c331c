import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";

/** The providers that people sign in with, for administrators. Changes throw `CallError`. */
export function useSignInProviders() {
  const { call, queries } = useServices();
  const queryKey = ["sign-in-providers"];
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
