import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

type Chains = Answers["readCertificate"];
export type Certificate = Chains["chains"][number][number];
export type Expiry = Answers["listCertificates"]["certificates"][number];

/** Fetched again after each change, as resources are. */
export const expiryQuery = queryOptions({
  queryKey: ["resources", "ssls", "expiry"],
  queryFn: async ({ signal }) => {
    const { certificates } = (await callAdmin<Answers["listCertificates"]>("certificates", { signal })).body;
    return new Map(certificates.map((one) => [one.id, one]));
  },
});

export const chainsQuery = (id: string) =>
  queryOptions({
    queryKey: ["resources", "ssls", id, "chains"],
    queryFn: async ({ signal }) =>
      (await callAdmin<Chains>(`certificates/${encodeURIComponent(id)}`, { signal })).body,
  });
