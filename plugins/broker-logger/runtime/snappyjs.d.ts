/** Used part of the package, which has no types. */
declare module "snappyjs" {
  const snappy: { compress(bytes: Uint8Array): Uint8Array };
  export default snappy;
}
