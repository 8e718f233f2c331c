import type { AlertRulePut } from "#contract/alerts/endpoints.ts";
import { none, useResource } from "../resource.ts";

/** The alert rules of an app. Changes throw `CallError`. */
export function useAlertRules(appId: string) {
  const params = { app_id: appId };
  const { data, change, ...list } = useResource(["console", "alerts", appId], "alerts.list", { params });
  const of = (id: string) => ({ params: { ...params, alert_rule_id: id } });
  return {
    ...list,
    rules: data?.rules ?? none,
    /** Whether the server can send e-mail; `undefined` until it is known. */
    isMailSet: data?.mail_is_set,
    create: async (body: AlertRulePut) => await change("alerts.create", { params, body }),
    change: async (id: string, body: AlertRulePut) => await change("alerts.change", { ...of(id), body }),
    remove: async (id: string) => await change("alerts.remove", of(id)),
  };
}
