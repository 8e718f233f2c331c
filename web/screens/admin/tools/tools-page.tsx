import { t } from "#web/i18n/translate.ts";
import { Page } from "../../page.tsx";
import { RulesSection } from "./rules-section.tsx";
import { useCan } from "#web/data/session/session.ts";
import { ToolServersSection } from "../../tool-servers/tool-servers-section.tsx";
import { WebSearchSection } from "./web-search.tsx";

/** `/admin/tools`: what assistants can do beyond this server. */
export function ToolsPage() {
  const managesServers = useCan("assistants.manage") === true;
  return (
    <Page title={t("tools.title")}>
      <RulesSection />
      <WebSearchSection />
      {managesServers && <ToolServersSection isShared />}
    </Page>
  );
}
