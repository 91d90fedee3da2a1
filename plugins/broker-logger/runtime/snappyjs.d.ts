/** What is used of the package, which has no types of its own. */
declare module "snappyjs" {
  const snappy: { compress(bytes: Uint8Array): Uint8Array };
  export default snappy;
}
