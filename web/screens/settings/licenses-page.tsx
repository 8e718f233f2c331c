import { noticesUrl, useThirdPartyNotices } from "#web/data/third-party-notices.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import screenStyles from "../screen.module.css";
import styles from "./licenses-page.module.css";

/** `/settings/licenses`: the software of others that Parlance contains. */
export function LicensesPage() {
  const notices = useThirdPartyNotices();
  return (
    <Page title={t("settings.licenses")}>
      <p className={screenStyles["about"]}>
        {t("licenses.about")} <a href={noticesUrl}>{t("licenses.file")}</a>
      </p>
      <ListContent
        list={notices}
        isEmpty={false}
        loadingLabel={t("licenses.loading")}
        failedTitle={t("licenses.failed")}
      >
        <pre className={styles["text"]} dir="ltr" lang="en">
          {notices.text}
        </pre>
      </ListContent>
    </Page>
  );
}
