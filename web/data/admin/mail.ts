import type { BodyInputOf } from "#contract/api.ts";
import type { MailTestResult } from "#contract/endpoints/mail.ts";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { useServices } from "../provider.tsx";
import { useResource } from "../resource.ts";

/** The mail server that this server sends with, for owners. Changes throw `CallError`. */
export function useMailSettings() {
  const { call } = useServices();
  const { data: stored, change, ...loaded } = useResource(["mail"], "mail.get", {});
  return {
    ...loaded,
    stored,
    save: async (body: BodyInputOf<"mail.put">) => await change("mail.put", { body }),
    remove: async () => await change("mail.remove", {}),
    test: async (): Promise<MailTestResult> =>
      await call("mail.test", { body: { language: currentLanguageTag() } }),
  };
}
