import { useQuery } from "@tanstack/react-query";
import type { BodyInputOf } from "#contract/api.ts";
import type { MailTestResult } from "#contract/endpoints/mail.ts";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { refreshAfter } from "../refresh-after.ts";

/** The mail server that this server sends with, for owners. Changes throw `CallError`. */
export function useMailSettings() {
  const { call, queries } = useServices();
  const queryKey = ["mail"];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => await call("mail.get", {}, signal),
    staleTime: 0,
  });
  return {
    ...loadedOf(query),
    stored: query.data,
    save: async (body: BodyInputOf<"mail.put">) =>
      await refreshAfter(queries, [queryKey], call("mail.put", { body })),
    remove: async () => await refreshAfter(queries, [queryKey], call("mail.remove", {})),
    test: async (): Promise<MailTestResult> =>
      await call("mail.test", { body: { language: currentLanguageTag() } }),
  };
}
