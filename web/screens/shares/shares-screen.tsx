import { useShares } from "#web/data/shares/shares.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { ShareRows } from "./share-rows.tsx";

/** `/shares`: all links that the person has created. */
export function SharesScreen() {
  const list = useShares();
  return (
    <Page title={t("screen.shares")}>
      <ListContent
        list={list}
        isEmpty={list.shares.length === 0}
        loadingLabel={t("share.loading")}
        failedTitle={t("share.failed")}
        empty={[t("share.empty"), t("share.emptyHint")]}
      >
        <ShareRows list={list} hasTitles />
      </ListContent>
    </Page>
  );
}
