import { useNavigate, useParams } from "@tanstack/react-router";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { useCan } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { NotFoundScreen } from "../../not-found-screen.tsx";
import { BackLink, Page } from "../../page.tsx";
import { DirectoryForm } from "./directory-form.tsx";
import { directoryBodyOf } from "./directory-values.ts";
import { signInProviderBodyOf, SignInProviderForm, type ProviderValues } from "./sign-in-provider-form.tsx";
import { providerPresets } from "./provider-presets.ts";
import styles from "../../screen.module.css";

const newId = "new";
const newDirectoryId = "new-directory";

/** `/admin/sign-in/:providerId`, and `/admin/sign-in/new`. */
export function SignInProviderScreen() {
  const { providerId = newId } = useParams({ strict: false });
  const isAllowed = useCan("people.manage");
  const list = useSignInProviders();
  const stored = list.providers.find(({ id }) => id === providerId);
  const isNewDirectory = providerId === newDirectoryId;
  const isNew = providerId === newId || isNewDirectory;
  if (isAllowed !== true) return null;
  if (list.state === "ready" && stored === undefined && !isNew) return <NotFoundScreen />;
  return (
    <Page
      title={
        isNew
          ? t(isNewDirectory ? "directory.new" : "signInProvider.new")
          : (stored?.name ?? t("signInProviders.title"))
      }
      above={
        <BackLink to="/admin/$page" params={{ page: "sign-in" }}>
          {t("signInSettings.title")}
        </BackLink>
      }
    >
      <ListContent
        list={list}
        isEmpty={false}
        loadingLabel={t("signInProviders.loading")}
        failedTitle={t("signInProviders.failed")}
      >
        {isNewDirectory ? (
          <NewDirectory list={list} />
        ) : isNew ? (
          <NewProvider list={list} />
        ) : (
          stored !== undefined && <Provider key={stored.id} stored={stored} list={list} />
        )}
      </ListContent>
    </Page>
  );
}

type List = ReturnType<typeof useSignInProviders>;

function useToList(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: "/admin/$page", params: { page: "sign-in" } });
}

function NewProvider({ list }: { list: List }) {
  const toList = useToList();
  return (
    <SignInProviderForm
      others={list.providers}
      first={empty}
      saveLabel={t("signInProvider.add")}
      onCancel={toList}
      onSave={async (values) => {
        const { kind } = providerPresets[values.preset];
        const { name } = await list.create({ kind, ...signInProviderBodyOf(values) });
        showToast(t("signInProvider.added", { name }));
        return toList;
      }}
    />
  );
}

function NewDirectory({ list }: { list: List }) {
  const toList = useToList();
  return (
    <DirectoryForm
      saveLabel={t("directory.add")}
      onCancel={toList}
      onSave={async (values) => {
        const { name } = await list.create({ kind: "ldap", ...directoryBodyOf(values) });
        showToast(t("signInProvider.added", { name }));
        return toList;
      }}
    />
  );
}

function Provider({ stored, list }: { stored: SignInProvider; list: List }) {
  const toList = useToList();
  const { confirm, dialog } = useConfirmation();
  const { id, name } = stored;
  return (
    <>
      {stored.kind === "ldap" ? (
        <DirectoryForm
          stored={stored}
          saveLabel={t("action.save")}
          onCancel={toList}
          onSave={async (values) => {
            await list.update(id, directoryBodyOf(values));
            showToast(t("account.saved"));
            return toList;
          }}
        />
      ) : (
        <SignInProviderForm
          stored={stored}
          others={[]}
          first={valuesOf({ ...stored, kind: stored.kind })}
          saveLabel={t("action.save")}
          onCancel={toList}
          onSave={async (values) => {
            await list.update(id, signInProviderBodyOf(values));
            showToast(t("account.saved"));
            return toList;
          }}
        />
      )}
      <div className={styles["remove"]}>
        <Button
          look="danger"
          onClick={() =>
            confirm({
              text: t("signInProvider.removeWhat", { name, count: stored.people }),
              label: t("signInProvider.remove"),
              run: async () => {
                await list.remove(id);
                toList();
                return t("signInProvider.removed", { name });
              },
            })
          }
        >
          {t("signInProvider.remove")}
        </Button>
      </div>
      {dialog}
    </>
  );
}

const empty: ProviderValues = {
  preset: "oidc",
  name: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  domains: "",
  trustsEmail: false,
  admitsEveryone: false,
  claimsImports: false,
  groupsClaim: "",
};

function valuesOf(stored: SignInProvider & { kind: "oidc" | "github" }): ProviderValues {
  return {
    preset: stored.kind,
    name: stored.name,
    issuer: stored.issuer,
    clientId: stored.client_id,
    clientSecret: "",
    domains: stored.email_domains.join(", "),
    trustsEmail: stored.trusts_email,
    admitsEveryone: stored.admits_everyone,
    claimsImports: stored.claims_imports,
    groupsClaim: stored.groups_claim ?? "",
  };
}
