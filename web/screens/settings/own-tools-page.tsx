import { useOwnToolRules } from "#web/data/tool-rules.ts";
import { useSession } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { Page } from "../page.tsx";
import screenStyles from "../screen.module.css";
import { RuleList } from "../tool-rules/rule-list.tsx";
import { ToolServersSection } from "../tool-servers/tool-servers-section.tsx";

/** `/settings/tools`: when assistants use tools for this person, and the tool servers that the person can use. */
export function OwnToolsPage() {
  const list = useOwnToolRules();
  const { me } = useSession();
  return (
    <Page title={t("tools.title")}>
      <p className={screenStyles["about"]}>{t("toolRules.aboutOwn")}</p>
      <RuleList
        list={list}
        tools={list.tools}
        rules={list.rules}
        mayAlways={({ effect }) => effect === "reads"}
        put={async ({ source, tool, rule }) => await list.put({ source, tool, rule })}
      />
      {me !== undefined && me.role !== "guest" && <ToolServersSection isShared={false} />}
    </Page>
  );
}
