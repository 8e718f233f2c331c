import { useSignInSettings } from "#web/data/admin/people.ts";
import { useSession } from "#web/data/session/session.ts";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { Page } from "../../page.tsx";
import { JoiningForm } from "./joining-form.tsx";
import { MailSettings } from "./mail-settings.tsx";
import { SignInProviders } from "./sign-in-providers.tsx";

/** `/admin/sign-in`: who may use the server, and who can get an account. */
export function SignInPage() {
  const settings = useSignInSettings();
  const isOwner = useSession().me?.role === "owner";
  return (
    <Page title={t("signInSettings.title")}>
      <ListContent
        list={settings}
        isEmpty={false}
        loadingLabel={t("signInSettings.loading")}
        failedTitle={t("signInSettings.failed")}
      >
        {settings.stored !== undefined && (
          <JoiningForm
            stored={settings.stored.settings}
            areGuestsAllowed={settings.stored.guests_allowed}
            onSave={settings.save}
          />
        )}
      </ListContent>
      <SignInProviders />
      {isOwner && <MailSettings />}
    </Page>
  );
}
