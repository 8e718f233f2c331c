import { Link, useNavigate } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import { providerKindIds, providerKinds } from "#contract/provider-kinds.ts";
import type { ProviderSuggestion } from "#contract/endpoints/providers.ts";
import { useProviders, useProviderSuggestions } from "#web/data/assistants/providers.ts";
import { useCan } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { t } from "#web/i18n/translate.ts";
import { List } from "../list.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import screenStyles from "../screen.module.css";
import { ModelSettingsSections } from "./model-settings.tsx";
import { ProviderRow } from "./provider-row.tsx";
import styles from "./models-page.module.css";

/** `/settings/models`: the model providers, which only administrators see. */
export function ModelsPage() {
  const isAllowed = useCan("models.manage");
  return (
    <Page title={t("providers.title")}>
      {isAllowed === false ? (
        <Notice title={t("providers.notYours")} text={t("assistant.notYoursText")} />
      ) : (
        <Providers isAllowed={isAllowed === true} />
      )}
    </Page>
  );
}

function Providers({ isAllowed }: { isAllowed: boolean }) {
  const list = useProviders(isAllowed);
  const suggestions = useProviderSuggestions(isAllowed);
  const { confirm, dialog } = useConfirmation();
  const { providers } = list;
  return (
    <ListContent
      list={list}
      isEmpty={false}
      loadingLabel={t("providers.loading")}
      failedTitle={t("providers.failed")}
    >
      <p className={screenStyles["about"]}>
        {t(providers.length === 0 ? "providers.none" : "providers.about")}
      </p>
      {providers.length > 0 && (
        <List>
          {providers.map((provider) => (
            <ProviderRow key={provider.id} provider={provider} all={providers} confirm={confirm} />
          ))}
        </List>
      )}
      {suggestions.map((suggestion) => (
        <Suggestion key={suggestion.base_url} suggestion={suggestion} />
      ))}
      <h2 className={screenStyles["heading"]}>{t("providers.add")}</h2>
      <ul className={styles["kinds"]}>
        {providerKindIds.map((kind) => (
          <li key={kind}>
            <Link to="/settings/models/new" search={{ kind }} className={styles["kind"]}>
              <bdi>
                {kind === "openai-compatible" ? t("provider.compatibleServer") : providerKinds[kind].name}
              </bdi>
            </Link>
          </li>
        ))}
      </ul>
      <ModelSettingsSections isAllowed={isAllowed} />
      {dialog}
    </ListContent>
  );
}

function Suggestion({ suggestion }: { suggestion: ProviderSuggestion }) {
  const navigate = useNavigate();
  const { kind, name, base_url: url, models } = suggestion;
  return (
    <div className={styles["suggestion"]}>
      <p>{t("providers.found", { name, count: models })}</p>
      <Button
        icon={Plus}
        onClick={() => void navigate({ to: "/settings/models/new", search: { kind, name, url } })}
      >
        {t("providers.addNamed", { name })}
      </Button>
    </div>
  );
}
