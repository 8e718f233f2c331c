import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import { UsageSection } from "../usage/usage-section.tsx";

/** `/admin/usage`: the usage of everyone. */
export function AdminUsagePage() {
  return (
    <Page title={t("usage.title")}>
      <UsageSection isEveryone />
    </Page>
  );
}
