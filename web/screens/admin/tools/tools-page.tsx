import { t } from "#web/i18n/translate.ts";
import { Page } from "../../page.tsx";
import { RulesSection } from "./rules-section.tsx";
import { WebSearchSection } from "./web-search.tsx";

/** `/admin/tools`: what assistants can do beyond this server. */
export function ToolsPage() {
  return (
    <Page title={t("tools.title")}>
      <RulesSection />
      <WebSearchSection />
    </Page>
  );
}
