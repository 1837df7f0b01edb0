# The report of ztile bench in a browser: its charts are there and drawn, in light and in dark, and
# a narrow window is too narrow neither for the page nor for a chart, whose legend is then below.
has_pictures || skip "pictures are not in this build"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "there is no Chromium to look at the report with (Debian package chromium)"
field a_field_with_quite_a_long_name_40x48x56.f32 f32 40 48 56
ztile bench a_field_with_quite_a_long_name_40x48x56.f32 --codecs zfp,sz,ndzip -x omp=2 -o report -q \
    --bounds rel=1e-2,rel=1e-3,lossless || exit 1
page=file://$PWD/report/report.html
look()
{
    HOME=$PWD timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
        --disable-dev-shm-usage --user-data-dir="$PWD/profile" --window-size=1280,3200 "$@" 2>log
}
# what the browser made of it, written into the page
{
    cat report/report.html
    cat <<'END'
<script>onload = () => {
    for (const i of document.images)
        i.dataset.drawn = !(i.complete && i.naturalWidth > 300 && i.alt) ? "not drawn" :
            i.getBoundingClientRect().right > innerWidth ? "cut" :
            i.naturalWidth < i.naturalHeight ? "upright" : "wide"
    const fits = document.documentElement.scrollWidth <= innerWidth
    document.body.dataset.fits = fits ? "fits" : "too wide"
    document.body.dataset.filter = getComputedStyle(document.images[0]).filter
}</script>
END
} >report/probe.html
probe()
{
    look "$@" --dump-dom "${page/report.html/probe.html}" >dom || { tail -n 3 log; exit 1; }
    perl -0777 -ne '
        print "$2: $3\n" while /<img class="(chart|slices)"(?: id="([^"]*)")?[^>]*data-drawn="([^"]*)"/g;
        print "$1, $2\n" if /data-fits="([^"]*)" data-filter="([a-z]*)/' dom
}
probe --window-size=500,900
grep -c 'id="means"' dom
probe --blink-settings=preferredColorScheme=0
# the charts are of lines and words
for id in ratio speed-compress speed-decompress rate-distortion-0; do
    perl -MMIME::Base64 -0777 -ne '
        my ($svg) = /id="'$id'"[^>]*src="data:image\/svg\+xml;base64,([^"]*)"/ or die "no chart '$id'\n";
        $svg = decode_base64($svg);
        print "'$id': ", $svg =~ /stroke-width/ ? "lines, " : "no lines, ",
            (() = $svg =~ /glyph/g) > 99 ? "words\n" : "no words\n"' report/report.html
done
# what is drawn: PNG decoded by perl's zlib, its colours counted
colours()
{
    perl -MCompress::Zlib -0777 -ne '
        my ($w, $h) = unpack "x16 N N", $_;
        my $type = unpack "x25 C", $_;
        my ($data, $at) = ("", 8);
        while ($at < length) {
            my ($n, $name) = unpack "x$at N a4", $_;
            $data .= substr $_, $at + 8, $n if $name eq "IDAT";
            $at += 12 + $n;
        }
        my $raw = uncompress($data);
        my $bytes = $type == 6 ? 4 : 3;
        my $row = 1 + $bytes * $w;
        # the first pixel of all is the paper; filters make others hard to read, but a page that is
        # blank compresses to next to nothing
        my ($r, $g, $b) = unpack "x1 C3", $raw;
        print "$w x $h, ", $r > 200 ? "light" : $r < 60 ? "dark" : "grey",
            length($data) > 60000 ? ", drawn\n" : ", blank: " . length($data) . "\n"' "$1"
}
look --screenshot=light.png "$page" >/dev/null && colours light.png
look --blink-settings=preferredColorScheme=0 --screenshot=dark.png "$page" >/dev/null &&
    colours dark.png
