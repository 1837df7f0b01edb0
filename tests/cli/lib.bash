# lib.bash: functions for the cases. Fields are made by perl, which every Debian has; their values
# are exact, so that files are the same everywhere.

# skip REASON: this case cannot run here.
skip()
{
    echo "$1"
    exit 77
}

need()
{
    command -v "$1" >/dev/null || skip "$1 is missing"
}

# True if the build draws pictures.
has_pictures()
{
    ! ztile plot /dev/null 2>&1 | grep -q 'draws no pictures'
}

# well_formed FILE: says so if the tags of an XML file do not match.
well_formed()
{
    perl -0777 -ne '
        s/<\?.*?\?>//sg; s/"[^"]*"//g; s/<style>.*?<\/style>//s;
        my @open; my $bad = 0;
        while (/<(\/?)([A-Za-z]+)[^<>]*?(\/?)>/g) {
            if ($1) { $bad = 1 if !@open || pop(@open) ne $2 } elsif (!$3) { push @open, $2 }
        }
        print "not well-formed: $ARGV\n" if $bad || @open' "$1"
}

# field FILE TYPE N0 N1 N2: smooth values with some noise, little-endian.
field()
{
    perl -e '
        my ($file, $type, @n) = @ARGV;
        my %pack = (f32 => "f<*", f64 => "d<*", i32 => "l<*", i64 => "q<*");
        my @values;
        my $seed = 1;
        for my $i (0 .. $n[0] - 1) { for my $j (0 .. $n[1] - 1) { for my $k (0 .. $n[2] - 1) {
            $seed = ($seed * 1103515245 + 12345) % 2147483648;
            my $v = ($k - 5) * ($k - 9) * 4 + $i * $j * 2 - $j * $k + ($seed >> 20) / 512;
            push @values, $type =~ /^i/ ? int($v) : $v;
        } } }
        open my $out, ">:raw", $file or die;
        print $out pack($pack{$type}, @values);
    ' "$@"
}

# npy FILE DESCR FORTRAN SHAPE VALUES: a .npy file of version 1; VALUES is a raw file.
npy()
{
    perl -e '
        my ($file, $descr, $fortran, $shape, $values) = @ARGV;
        my $dict = "{\x27descr\x27: \x27$descr\x27, \x27fortran_order\x27: $fortran, "
            . "\x27shape\x27: $shape, }";
        $dict .= " " x (63 - (10 + length $dict) % 64) . "\n";
        open my $in, "<:raw", $values or die;
        local $/;
        open my $out, ">:raw", $file or die;
        print $out "\x93NUMPY\x01\x00", pack("v", length $dict), $dict, <$in>;
    ' "$@"
}

# patch FILE OFFSET HEX: overwrite bytes.
patch()
{
    perl -e '
        my ($file, $offset, $hex) = @ARGV;
        open my $out, "+<:raw", $file or die;
        seek $out, $offset, 0;
        print $out pack("H*", $hex);
    ' "$@"
}

# need_terminal: skip the case where no pseudo-terminal can be made.
need_terminal()
{
    need script
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal can be made"
}

# in_terminal COMMAND: run it with a terminal as its standard output and error; both are printed.
in_terminal()
{
    script -qec "$1" /dev/null </dev/null
}

# status COMMAND...: run it and print its exit status.
status()
{
    "$@"
    echo "status $?"
}
